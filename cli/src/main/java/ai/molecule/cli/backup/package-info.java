/**
 * A platform in one file, and back. {@link ai.molecule.cli.backup.BackupCommand} writes a {@code tar.gz} while the platform runs: the tables
 * as they were at one moment ({@link ai.molecule.cli.backup.DatabaseCopy}), then the folders of agents and of the user
 * ({@link ai.molecule.cli.backup.FolderCopy}). {@link ai.molecule.cli.backup.RestoreCommand} makes a platform of it where there is none.
 * docs/backup.md says what is in it, entry by entry.
 */
@NullMarked
package ai.molecule.cli.backup;

import org.jspecify.annotations.NullMarked;
