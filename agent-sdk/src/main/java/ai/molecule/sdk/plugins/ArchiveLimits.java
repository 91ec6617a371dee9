package ai.molecule.sdk.plugins;

/**
 * What an archive may cost at most when it is unpacked.
 *
 * <pre>{@code
 * PluginArchive.unpack(bytes, folder, ArchiveLimits.DEFAULT)
 * }</pre>
 *
 * @param totalBytes all files together
 * @param entries files, folders and links together
 */
public record ArchiveLimits(long totalBytes, int entries) {

    /** 256 MiB in 10,000 entries. */
    public static final ArchiveLimits DEFAULT = new ArchiveLimits(256L * 1024 * 1024, 10_000);
}
