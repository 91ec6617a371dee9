/**
 * What the rules of the policy say of calls, as services ask the registry for it and remember it. The rules themselves are the
 * registry's.
 */
@NullMarked
package ai.molecule.common.policy;

import org.jspecify.annotations.NullMarked;
