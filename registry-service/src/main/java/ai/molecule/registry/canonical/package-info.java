/** JSON in the one spelling that RFC 8785 has for it: what a signature or a digest is of. */
@NullMarked
package ai.molecule.registry.canonical;

import org.jspecify.annotations.NullMarked;
