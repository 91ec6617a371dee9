/**
 * Web servers that agents start, shown to people under host names of their own, {@code <port>--<workspace id>.agents.localhost}: no page of an
 * agent has an origin or a cookie in common with the console. A person who may operate the agent gets a link with a code that
 * counts once; at the other host it becomes a cookie for that workspace and port alone.
 */
@NullMarked
package ai.molecule.proxy.frontdoor.previews;

import org.jspecify.annotations.NullMarked;
