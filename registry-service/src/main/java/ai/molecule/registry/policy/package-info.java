/**
 * Policy: rules that operators add to the org chart's, as data. A rule says in CEL when a call is refused, is observed before it is
 * enforced, and holds for the organisation or for a branch of it ({@link ai.molecule.registry.policy.PolicyRule}). {@link
 * ai.molecule.registry.policy.PolicyService} judges the calls that the proxy asks about, and those of the past.
 */
@NullMarked
package ai.molecule.registry.policy;

import org.jspecify.annotations.NullMarked;
