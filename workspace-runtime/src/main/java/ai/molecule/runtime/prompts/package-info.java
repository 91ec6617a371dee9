/**
 * What an agent's model is told before everything else.
 *
 * <p>{@link ai.molecule.runtime.prompts.LivePrompt} is asked before every answer and puts the text together as it is true at
 * that moment: the agent's own files and abilities are read anew, and what the platform says of peers, parent and rules
 * ({@link ai.molecule.runtime.prompts.PlatformKnowledge}) is kept only for as long as the platform's events
 * ({@link ai.molecule.runtime.prompts.PlatformEvents}) say that nothing has changed.
 * {@link ai.molecule.runtime.prompts.PromptText} is the order of its parts.
 */
@NullMarked
package ai.molecule.runtime.prompts;

import org.jspecify.annotations.NullMarked;
