/**
 * Processes and how they end: the lifeline every child holds, the watchdog that stops the servers when the launcher is
 * gone, and the supervisor that starts a service again.
 */
@NullMarked
package ai.molecule.cli.process;

import org.jspecify.annotations.NullMarked;
