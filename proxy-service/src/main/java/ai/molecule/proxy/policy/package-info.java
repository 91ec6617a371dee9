/**
 * What rules of the policy say of calls: asked of the registry, remembered briefly, obeyed and written down ({@link
 * ai.molecule.proxy.policy.PolicyBook}).
 */
@NullMarked
package ai.molecule.proxy.policy;

import org.jspecify.annotations.NullMarked;
