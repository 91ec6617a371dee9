/**
 * Who gets in and who does not: invitations, admission of those who came by themselves, quarantine, the keys secrets are sealed
 * with, and what every door of a platform answers to whom ({@code doctor --doors}).
 */
@NullMarked
package ai.molecule.cli.doors;

import org.jspecify.annotations.NullMarked;
