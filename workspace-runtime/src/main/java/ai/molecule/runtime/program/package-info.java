/**
 * Agents that are programs of somebody else's: {@link ai.molecule.runtime.program.ProgramAdapter} starts one and keeps it,
 * {@link ai.molecule.runtime.program.AgentProgram} speaks to it in lines of JSON (docs/adapters.md), and
 * {@link ai.molecule.runtime.program.ProgramExecutor} makes answers of what it says.
 */
@NullMarked
package ai.molecule.runtime.program;

import org.jspecify.annotations.NullMarked;
