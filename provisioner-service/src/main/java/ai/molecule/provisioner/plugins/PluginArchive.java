package ai.molecule.provisioner.plugins;

import java.nio.file.Path;

/**
 * A plugin as it is downloaded.
 *
 * @param file gzip-compressed tar, there until it was sent
 * @param size in bytes
 * @param digest see {@link Integrity#digestOf}
 */
record PluginArchive(PluginReference plugin, Path file, long size, String digest) {}
