/** The launcher as a client of its own platform. */
@NullMarked
package ai.molecule.cli.http;

import org.jspecify.annotations.NullMarked;
