/**
 * What a kind of agent implements, and all it sees: a {@link ai.molecule.runtime.agent.Prompt} goes in, a
 * {@link ai.molecule.runtime.agent.Reply} takes what comes out. Nothing here knows HTTP, JSON-RPC or tasks, so an
 * executor can be run in a test with two objects.
 */
@NullMarked
package ai.molecule.runtime.agent;

import org.jspecify.annotations.NullMarked;
