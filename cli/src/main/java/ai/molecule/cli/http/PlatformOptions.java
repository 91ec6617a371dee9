package ai.molecule.cli.http;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which platform a command speaks to: the one that runs in the data folder, or another. */
public final class PlatformOptions {

    @Option(
            names = "--url",
            description = "Another platform than the one running in the data folder; ADMIN_TOKEN is its token")
    private @Nullable String url;

    @Option(names = "--data", paramLabel = "DIR", description = "Data folder. Default: .molecule beside the launcher")
    private @Nullable Path folder;

    /** What a command asks of the platform. */
    public interface Asking<T> {
        T ask(PlatformApi api) throws IOException;
    }

    /** @throws LaunchFailure when there is no platform, or it does not answer */
    public <T> T ask(MoleculeHome home, Map<String, String> environment, Asking<T> asking) {
        var data = DataFolder.at(home.dataFolder(folder));
        String platform = url != null ? url.replaceAll("/+$", "") : running(data);
        try (var api = PlatformApi.of(platform, data, environment)) {
            return asking.ask(api);
        } catch (IOException e) {
            throw LaunchFailure.broken("The platform at " + platform + " did not answer: " + e.getMessage(), e);
        }
    }

    private static String running(DataFolder data) {
        try {
            return (FolderLock.isHeld(data.lock()) ? RunFile.read(data.runFile()) : Optional.<RunFile>empty())
                    .orElseThrow(() -> LaunchFailure.usersTurn("Molecule is not running in " + data.root()
                            + "; start it with ./molecule up, or name a platform with --url."))
                    .url();
        } catch (IOException e) {
            throw LaunchFailure.broken(data.root() + " cannot be read: " + e.getMessage(), e);
        }
    }
}
