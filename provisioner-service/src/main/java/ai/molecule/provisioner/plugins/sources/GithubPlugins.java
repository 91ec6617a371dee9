package ai.molecule.provisioner.plugins.sources;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * {@code github://owner/repo#ref}: a public repository at a tag, branch or commit, as the archive that GitHub makes of it. A plugin
 * is called as its repository.
 *
 * @param baseUrl {@link #CODELOAD}; a test names its own server
 */
public record GithubPlugins(Vertx vertx, TarballDownload download, String baseUrl) implements PluginSource {

    /** Where archives are. */
    public static final String CODELOAD = "https://codeload.github.com";

    private static final Pattern SPEC = Pattern.compile("(?<owner>[A-Za-z0-9][A-Za-z0-9-]{0,38})"
            + "/(?<repo>[A-Za-z0-9](?!.*\\.\\.)[A-Za-z0-9._-]{0,99})"
            + "(?:#(?<ref>[A-Za-z0-9](?!.*(?:\\.\\.|//))[A-Za-z0-9._/+@-]{0,199}))?");

    /** Tags and branches move; short names of commits may come to mean another. */
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    @Override
    public String scheme() {
        return "github";
    }

    @Override
    public Origin parse(String spec) {
        var parts = SPEC.matcher(spec);
        if (!parts.matches()) {
            throw PluginSource.invalid();
        }
        String ref = parts.group("ref");
        String repository = parts.group("owner") + "/" + parts.group("repo");
        String url = baseUrl + "/" + repository + "/tar.gz/" + (ref == null ? "HEAD" : ref);
        boolean commit = ref != null && COMMIT.matcher(ref).matches();
        return new Repository(this, parts.group("repo"), ref != null, commit, url);
    }

    private record Repository(GithubPlugins github, String plugin, boolean pinned, boolean fixed, String url)
            implements Origin {

        @Override
        public Future<Void> fetch(Path folder, FetchLimits limits) {
            Path archive = folder.resolveSibling("archive.tar.gz");
            return github.download
                    .toFile(url, archive, limits)
                    .compose(downloaded -> github.vertx.<Void>executeBlocking(
                            () -> {
                                PluginTarball.unpack(archive, folder, limits);
                                Files.delete(archive);
                                return null;
                            },
                            false));
        }
    }
}
