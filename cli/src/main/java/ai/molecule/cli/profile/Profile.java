package ai.molecule.cli.profile;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A platform elsewhere.
 *
 * @param url of its front door, without a slash at the end
 * @param token its ADMIN_TOKEN, where it stands in the profile
 * @param tokenFile where it stands instead
 * @param organisation what a platform with MOLECULE_ORG_ID wants to hear
 */
public record Profile(String url, Optional<String> token, Optional<Path> tokenFile, Optional<String> organisation) {

    /** @throws LaunchFailure for what is no address of a platform */
    public static String checkedUrl(String url) {
        try {
            var parsed = URI.create(url);
            if (("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme())) && parsed.getHost() != null) {
                return url.replaceAll("/+$", "");
            }
        } catch (IllegalArgumentException notOne) {
            // said below
        }
        throw LaunchFailure.usersTurn(
                url + " is no address of a platform; it looks like https://molecule.example.org.");
    }

    /** The token itself. @throws LaunchFailure where its file cannot be read */
    public Optional<String> bearer() {
        return token.or(() -> tokenFile.map(Profile::read));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw LaunchFailure.usersTurn("The profile's token-file %s cannot be read.".formatted(file));
        }
    }

    /** Names no token: records end up in logs. */
    @Override
    public String toString() {
        return "Profile[" + url + "]";
    }
}
