/**
 * The example organisation of a first start, imported as a user would import his own.
 */
@NullMarked
package ai.molecule.cli.demo;

import org.jspecify.annotations.NullMarked;
