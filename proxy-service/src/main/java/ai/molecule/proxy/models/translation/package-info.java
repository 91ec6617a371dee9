/**
 * Chat completions, responses and messages, said in each other's words, so that a program that speaks one reaches a model that speaks
 * another. {@link ai.molecule.proxy.models.translation.SpokenProtocol} is the table of the three: each reads into and writes from the
 * same few records ({@link ai.molecule.proxy.models.translation.NeutralRequest}, {@link
 * ai.molecule.proxy.models.translation.NeutralAnswer}, {@link ai.molecule.proxy.models.translation.NeutralEvent}), and none knows
 * another. What one cannot say is refused before anything leaves; what only hints is left out. Both lists stand in docs/wire/models.md.
 */
@NullMarked
package ai.molecule.proxy.models.translation;

import org.jspecify.annotations.NullMarked;
