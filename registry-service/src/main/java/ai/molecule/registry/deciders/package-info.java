/**
 * Who decides approvals: rules of the organization, as data. A rule says in CEL which approvals it is for, whose people or which role decide
 * them, how many of them it takes, and who else may after a while ({@link ai.molecule.registry.deciders.ApprovalRule}). {@link
 * ai.molecule.registry.deciders.ApprovalRuleService} finds the rule of what an agent asks; what it demands is kept with the approval
 * ({@link ai.molecule.registry.deciders.Requirement}), and package {@code approvals} holds people to it.
 */
@NullMarked
package ai.molecule.registry.deciders;

import org.jspecify.annotations.NullMarked;
