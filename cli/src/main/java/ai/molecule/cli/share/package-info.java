/**
 * The page for other machines: a door with TLS before the platform of this one, for as long as {@code molecule share} runs, and a code that a
 * phone reads (docs/adr/0100).
 */
@NullMarked
package ai.molecule.cli.share;

import org.jspecify.annotations.NullMarked;
