/**
 * People at a messenger: a bot of theirs is read by one replica at a time ({@link ai.molecule.events.chats.ChatRounds}), what a linked person
 * says there becomes a piece of work or a decision, with that person's rights, and what came of it goes back. Who is not linked hears nothing
 * (docs/adr/0099).
 */
@NullMarked
package ai.molecule.events.chats;

import org.jspecify.annotations.NullMarked;
