/** What operators are told, held against the tests that prove it. */
@NullMarked
package ai.molecule.system.operations;

import org.jspecify.annotations.NullMarked;
