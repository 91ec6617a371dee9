/** What a person does with an organisation from a terminal: agents, messages, approvals, events, costs. */
@NullMarked
package ai.molecule.cli.steer;

import org.jspecify.annotations.NullMarked;
