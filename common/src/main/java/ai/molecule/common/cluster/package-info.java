/**
 * How the services find each other: not at all (one JVM), by TCP/IP, or by Kubernetes DNS.
 */
@NullMarked
package ai.molecule.common.cluster;

import org.jspecify.annotations.NullMarked;
