/**
 * What goes on after a message was sent: coming back to a stream, asking for a task, cancelling it; and versions of the protocol.
 */
@NullMarked
package ai.molecule.proxy.a2a.tasks;

import org.jspecify.annotations.NullMarked;
