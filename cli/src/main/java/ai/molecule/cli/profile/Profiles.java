package ai.molecule.cli.profile;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The file of profiles: lines such as {@code work.url = https://molecule.example.org}, and {@code default = work}. Readable by its
 * owner only, because tokens may stand in it.
 *
 * @param chosen the one that is meant where nothing else is said
 */
public record Profiles(Path file, SortedMap<String, Profile> all, Optional<String> chosen) {

    /** Means the platform of the data folder, and so is no profile's. */
    public static final String LOCAL = "local";

    private static final String DEFAULT = "default";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Pattern MEMBER =
            Pattern.compile("(" + NAME.pattern() + ")\\.(url|token|token-file|organisation)");
    private static final long FILE_MAX_BYTES = 256 * 1024;

    /** {@code MOLECULE_CONFIG}, else where the machine's user keeps such files. */
    public static Path place(Map<String, String> environment) {
        String own = environment.getOrDefault("MOLECULE_CONFIG", "");
        if (!own.isBlank()) {
            return Path.of(own);
        }
        String folder = environment.getOrDefault("XDG_CONFIG_HOME", "");
        return (folder.isBlank() ? Path.of(System.getProperty("user.home"), ".config") : Path.of(folder))
                .resolve("molecule")
                .resolve("profiles");
    }

    /** None where there is no file. @throws LaunchFailure for one that cannot be understood, or that others may read */
    public static Profiles read(Path file) {
        var lines = new Properties();
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw LaunchFailure.usersTurn(file + " is too long for a file of profiles.");
            }
            requirePrivate(file);
            try (var reader = Files.newBufferedReader(file)) {
                lines.load(reader);
            }
        } catch (NoSuchFileException none) {
            return new Profiles(file, new TreeMap<>(), Optional.empty());
        } catch (IOException | IllegalArgumentException e) {
            throw LaunchFailure.usersTurn("The profiles in %s cannot be read: %s".formatted(file, e.getMessage()));
        }
        return of(file, lines);
    }

    private static Profiles of(Path file, Properties lines) {
        var members = new TreeMap<String, Map<String, String>>();
        for (String key : lines.stringPropertyNames()) {
            var member = MEMBER.matcher(key);
            if (member.matches()) {
                members.computeIfAbsent(member.group(1), name -> new LinkedHashMap<>())
                        .put(member.group(2), lines.getProperty(key).strip());
            } else if (!key.equals(DEFAULT)) {
                throw LaunchFailure.usersTurn(
                        "%s says %s, which is none of default, NAME.url, NAME.token, NAME.token-file and NAME.organisation."
                                .formatted(file, key));
            }
        }
        var all = new TreeMap<String, Profile>();
        members.forEach((name, said) -> all.put(name, profile(file, name, said)));
        var chosen = Optional.ofNullable(lines.getProperty(DEFAULT)).map(String::strip);
        return new Profiles(file, all, chosen.filter(name -> !name.isEmpty() && !name.equals(LOCAL)));
    }

    private static Profile profile(Path file, String name, Map<String, String> said) {
        String url = said.get("url");
        if (url == null) {
            throw LaunchFailure.usersTurn("%s does not say %s.url.".formatted(file, name));
        }
        return new Profile(
                Profile.checkedUrl(url),
                Optional.ofNullable(said.get("token")),
                Optional.ofNullable(said.get("token-file")).map(Path::of),
                Optional.ofNullable(said.get("organisation")));
    }

    private static void requirePrivate(Path file) throws IOException {
        var may = Files.getPosixFilePermissions(file);
        if (may.contains(PosixFilePermission.GROUP_READ) || may.contains(PosixFilePermission.OTHERS_READ)) {
            throw LaunchFailure.usersTurn(
                    "Others may read %s, in which tokens stand; chmod 600 %s makes it yours.".formatted(file, file));
        }
    }

    /** @throws LaunchFailure when there is none of that name */
    public Profile get(String name) {
        var found = all.get(name);
        if (found == null) {
            throw LaunchFailure.usersTurn("There is no profile %s in %s; %s"
                    .formatted(
                            name,
                            file,
                            all.isEmpty()
                                    ? "./molecule profile set makes one."
                                    : "there are " + String.join(", ", all.keySet()) + "."));
        }
        return found;
    }

    /** @throws LaunchFailure for what can be no profile's name */
    static String checkedName(String name) {
        if (!NAME.matcher(name).matches() || name.equals(LOCAL) || name.equals(DEFAULT)) {
            throw LaunchFailure.usersTurn(
                    "%s can be no profile's name: letters, digits, - and _, and neither local nor default."
                            .formatted(name));
        }
        return name;
    }

    Profiles with(String name, Profile profile) {
        var more = new TreeMap<>(all);
        more.put(checkedName(name), profile);
        return new Profiles(file, more, chosen);
    }

    Profiles without(String name) {
        get(name);
        var fewer = new TreeMap<>(all);
        fewer.remove(name);
        return new Profiles(file, fewer, chosen.filter(other -> !other.equals(name)));
    }

    Profiles choosing(String name) {
        if (name.equals(LOCAL)) {
            return new Profiles(file, all, Optional.empty());
        }
        get(name);
        return new Profiles(file, all, Optional.of(name));
    }

    /** In place of the file that is there, as a whole. */
    void write() throws IOException {
        var text = new StringBuilder();
        chosen.ifPresent(name -> line(text, DEFAULT, name));
        all.forEach((name, profile) -> {
            line(text, name + ".url", profile.url());
            profile.token().ifPresent(token -> line(text, name + ".token", token));
            profile.tokenFile().ifPresent(place -> line(text, name + ".token-file", place.toString()));
            profile.organisation().ifPresent(id -> line(text, name + ".organisation", id));
        });
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        PrivateFiles.write(file, text.toString());
    }

    private static void line(StringBuilder text, String key, String value) {
        text.append(key)
                .append(" = ")
                .append(value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r"))
                .append('\n');
    }
}
