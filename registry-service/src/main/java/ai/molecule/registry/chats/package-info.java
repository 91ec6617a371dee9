/**
 * People at a messenger: a code that the page showed makes who says it there known as that person, by a token of theirs that nobody has in
 * clear; what they may there, and whether they still may, the verdict on that token says (docs/adr/0099).
 */
@NullMarked
package ai.molecule.registry.chats;

import org.jspecify.annotations.NullMarked;
