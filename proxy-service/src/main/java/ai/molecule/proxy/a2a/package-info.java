/**
 * Messages to agents. A request comes in at {@link ai.molecule.proxy.a2a.A2aRoutes} and passes the folders in this order, each of which knows only those
 * before it: {@code admission} (may it), {@code calls} (one message at one agent), {@code messages} (whose it is, and what becomes of it),
 * {@code tasks} (what goes on after it).
 */
@NullMarked
package ai.molecule.proxy.a2a;

import org.jspecify.annotations.NullMarked;
