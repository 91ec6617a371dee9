/**
 * Agents that are programs: {@code claude}, {@code codex}, {@code gemini}, or any command of one's own. A message starts
 * the program, which reads the message from its standard input; what it writes to its standard output is streamed as the
 * answer. {@link ai.molecule.runtime.cli.CliCommand} says what is started, {@link ai.molecule.runtime.cli.CommandRun} is
 * one run of it, {@link ai.molecule.runtime.cli.ClaudeOutput} reads the events of {@code claude}, whose conversations {@link
 * ai.molecule.runtime.cli.Sessions} keeps, {@link ai.molecule.runtime.processes.ProcessTree} ends all that a run started, and
 * {@link ai.molecule.runtime.cli.Complaint} is what the sender learns of a run that failed.
 */
@NullMarked
package ai.molecule.runtime.cli;

import org.jspecify.annotations.NullMarked;
