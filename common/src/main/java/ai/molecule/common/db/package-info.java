/**
 * PostgreSQL: pools, migrations per schema, and what a lost connection looks like.
 */
@NullMarked
package ai.molecule.common.db;

import org.jspecify.annotations.NullMarked;
