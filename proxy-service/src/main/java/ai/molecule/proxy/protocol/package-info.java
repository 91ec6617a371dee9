/**
 * The versions of the A2A protocol as far as the proxy must understand them: which method does what, and what an event or an
 * answer says about a task. {@link Protocol} is also where a translation between versions would go.
 */
@NullMarked
package ai.molecule.proxy.protocol;

import org.jspecify.annotations.NullMarked;
