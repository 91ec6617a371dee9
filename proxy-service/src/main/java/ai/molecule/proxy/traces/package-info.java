/** What agents did for the messages they worked on, in the trace of each: checked, and sent on with the platform's own spans. */
@NullMarked
package ai.molecule.proxy.traces;

import org.jspecify.annotations.NullMarked;
