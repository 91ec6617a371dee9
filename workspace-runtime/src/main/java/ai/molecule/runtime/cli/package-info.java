/**
 * Agents that are programs: {@code claude}, {@code codex}, {@code gemini}, or any command of one's own. A message starts
 * the program, which reads the message from its standard input; what it writes to its standard output is streamed as the
 * answer. {@link ai.molecule.runtime.cli.CliCommand} says what is started, {@link ai.molecule.runtime.cli.CommandRun} is
 * one run of it, {@link ai.molecule.runtime.cli.KnownProgram} knows three by their options, {@link
 * ai.molecule.runtime.cli.EventOutput} reads their events, {@link ai.molecule.runtime.cli.Sessions} keeps their conversations, {@link
 * ai.molecule.runtime.cli.ProgramTools} gives them the platform's tools and {@link ai.molecule.runtime.cli.Permission} says what else they may do, {@link ai.molecule.runtime.processes.ProcessTree} ends all that a run started, and
 * {@link ai.molecule.runtime.cli.Complaint} is what the sender learns of a run that failed.
 */
@NullMarked
package ai.molecule.runtime.cli;

import org.jspecify.annotations.NullMarked;
