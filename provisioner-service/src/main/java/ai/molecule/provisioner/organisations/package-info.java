/**
 * Organisations written down in a file (docs/org-yaml.md): {@link OrgYaml} reads one with its includes, {@link OrgSchema} checks
 * it, {@link OrgTemplate} is what it says, {@link OrgPlanner} makes workspaces and their files of it, and
 * {@link OrganisationService} has them created. What is read comes from strangers: every reader states its bounds.
 */
@NullMarked
package ai.molecule.provisioner.organisations;

import org.jspecify.annotations.NullMarked;
