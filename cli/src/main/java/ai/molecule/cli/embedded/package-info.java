/**
 * PostgreSQL and Redis for a machine that has neither: real servers, unpacked from Maven artifacts and started as child
 * processes with durable settings and a password. Nothing here knows the platform, so tests may use it as well.
 */
@NullMarked
package ai.molecule.cli.embedded;

import org.jspecify.annotations.NullMarked;
