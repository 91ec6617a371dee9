/**
 * The example organisation of a first start, made with the same API calls a user would make.
 */
@NullMarked
package ai.molecule.cli.demo;

import org.jspecify.annotations.NullMarked;
