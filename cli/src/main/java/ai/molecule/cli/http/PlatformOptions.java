package ai.molecule.cli.http;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.data.AdminToken;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.RunningPlatforms;
import ai.molecule.cli.profile.Profile;
import ai.molecule.cli.profile.Profiles;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Which platform a command speaks to: the one that {@code --url} or {@code --profile} says, else {@code MOLECULE_PROFILE}, else the default
 * of the profiles, else the one that runs in the data folder.
 */
public final class PlatformOptions {

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "URL of a platform. Default: the platform that runs in the data folder")
    private @Nullable String url;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Token. Other users of this machine can see it here; prefer ADMIN_TOKEN or a profile")
    private @Nullable String token;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "Profile of a platform (molecule profile); local is the platform of the data folder")
    private @Nullable String profile;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "File of the profiles. Default: MOLECULE_CONFIG, else ~/.config/molecule/profiles")
    private @Nullable Path config;

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    /** What a command asks of the platform. */
    public interface Asking<T> {
        T ask(PlatformApi api) throws IOException;
    }

    /** @throws LaunchFailure when there is no platform, or it does not answer */
    public <T> T ask(MoleculeHome home, Map<String, String> environment, Asking<T> asking) {
        try (var api = api(home, environment)) {
            try {
                return asking.ask(api);
            } catch (IOException e) {
                throw LaunchFailure.broken("The platform at %s %s".formatted(api.url(), why(e)), e);
            }
        }
    }

    private static String why(IOException e) {
        return switch (e) {
            case ConnectException refused -> "does not answer: nothing listens there.";
            case HttpTimeoutException late -> "did not answer in time.";
            default -> "did not answer: " + e.getMessage();
        };
    }

    private PlatformApi api(MoleculeHome home, Map<String, String> environment) {
        if (url != null && profile != null) {
            throw LaunchFailure.usersTurn("--url and --profile each name a platform; say one of them.");
        }
        var named = named(environment);
        var data = data(home);
        String platform = url != null
                ? Profile.checkedUrl(url)
                : named.map(Profile::url).orElseGet(() -> running(data).url());
        var organisation = named.flatMap(Profile::organisation)
                .or(() -> Optional.ofNullable(environment.get("MOLECULE_ORG_ID"))
                        .map(String::strip)
                        .filter(id -> !id.isEmpty()));
        return new PlatformApi(platform, bearer(environment, named, platform, data), organisation);
    }

    private Optional<Profile> named(Map<String, String> environment) {
        return profileName(environment)
                .map(name -> Profiles.read(profiles(environment)).get(name));
    }

    /** What a further command has to say to mean the same platform; empty where it would mean it anyway. */
    public String repeated() {
        if (url != null) {
            return " --url " + Shell.quoted(url);
        }
        if (profile != null) {
            return " --profile " + Shell.quoted(profile);
        }
        return folder == null ? "" : " --data " + Shell.quoted(folder.toString());
    }

    /** The file of profiles. */
    public Path profiles(Map<String, String> environment) {
        return config != null ? config : Profiles.place(environment);
    }

    /** The profile that is meant; empty where a platform is named otherwise, or is the data folder's. */
    public Optional<String> profileName(Map<String, String> environment) {
        if (url != null) {
            return Optional.empty();
        }
        String name = profile;
        if (name == null && folder == null) {
            name = environment.getOrDefault("MOLECULE_PROFILE", "").strip();
        }
        boolean nothingSaid = name == null || name.isEmpty();
        boolean ofAFolder = folder != null
                || !environment.getOrDefault(MoleculeHome.DATA_VARIABLE, "").isBlank();
        if (Profiles.LOCAL.equals(name) || nothingSaid && ofAFolder) {
            return Optional.empty();
        }
        return nothingSaid ? Profiles.read(profiles(environment)).chosen() : Optional.ofNullable(name);
    }

    /** The data folder's own token is for its platform: it goes to no other machine unless somebody names both. */
    private Optional<String> bearer(
            Map<String, String> environment, Optional<Profile> named, String platform, DataFolder data) {
        if (token != null) {
            return Optional.of(token).filter(said -> !said.isBlank());
        }
        var own = named.flatMap(Profile::bearer);
        if (own.isPresent()) {
            return own;
        }
        boolean ofTheFolder = folder != null
                || LOOPBACK.contains(String.valueOf(URI.create(platform).getHost()));
        return ofTheFolder
                ? AdminToken.find(environment, data)
                : Optional.ofNullable(environment.get("ADMIN_TOKEN")).filter(said -> !said.isBlank());
    }

    /** What runs in the data folder, if it is what {@code api} speaks to. */
    public Optional<RunFile> here(MoleculeHome home, PlatformApi api) {
        return found(data(home)).filter(run -> run.url().equals(api.url()));
    }

    /** The one that is named, else that of the platform that runs ({@link RunningPlatforms#meant}). */
    public DataFolder data(MoleculeHome home) {
        return RunningPlatforms.meant(home, folder);
    }

    /** What runs in a data folder. */
    public static Optional<RunFile> found(DataFolder data) {
        try {
            return FolderLock.isHeld(data.lock()) ? RunFile.read(data.runFile()) : Optional.empty();
        } catch (IOException e) {
            throw LaunchFailure.broken(data.root() + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static RunFile running(DataFolder data) {
        return found(data)
                .orElseThrow(() -> LaunchFailure.usersTurn("Molecule is not running in " + data.root()
                        + "; start it with ./molecule up, or name a platform with --url or --profile."));
    }
}
