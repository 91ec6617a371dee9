/**
 * How the services find each other: not at all (one JVM), by TCP/IP, or by a name whose addresses they are.
 */
@NullMarked
package ai.molecule.common.cluster;

import org.jspecify.annotations.NullMarked;
