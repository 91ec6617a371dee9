/**
 * What one platform keeps in its data folder: the lock that makes it one, the secrets it made for itself, the file that
 * says where it runs, and the process ids it must not leave behind. Everything here is readable by its owner only.
 */
@NullMarked
package ai.molecule.cli.data;

import org.jspecify.annotations.NullMarked;
