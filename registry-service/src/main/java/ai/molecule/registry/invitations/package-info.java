/**
 * Invitations: a person says which agent may come, once and until when. The workspace exists from the moment its agent registers.
 */
@NullMarked
package ai.molecule.registry.invitations;

import org.jspecify.annotations.NullMarked;
