/**
 * Messages to agents: who may send, where to, how long to wait, and what is written down about it.
 */
@NullMarked
package ai.molecule.proxy.a2a;

import org.jspecify.annotations.NullMarked;
