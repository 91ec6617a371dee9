/**
 * Ports that stay the platform's while its JVM is started again: bound by a small process beside it, so that no agent of the machine listens there
 * meanwhile and gets what people and agents send ({@link ai.molecule.cli.ports.HeldPorts}).
 */
@NullMarked
package ai.molecule.cli.ports;

import org.jspecify.annotations.NullMarked;
