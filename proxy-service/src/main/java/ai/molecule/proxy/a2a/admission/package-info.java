/**
 * Who may send a message to whom, and what is asked before one is looked at.
 */
@NullMarked
package ai.molecule.proxy.a2a.admission;

import org.jspecify.annotations.NullMarked;
