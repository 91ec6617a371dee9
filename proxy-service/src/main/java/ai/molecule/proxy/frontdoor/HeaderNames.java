package ai.molecule.proxy.frontdoor;

import java.util.Arrays;
import java.util.Collection;

/** Names of headers, compared as headers are: whatever their case, and without a copy in lower case of each that is asked for. */
final class HeaderNames {

    private final String[][] byLength;

    HeaderNames(Collection<String> names) {
        int longest = names.stream().mapToInt(String::length).max().orElse(0);
        byLength = new String[longest + 1][];
        Arrays.setAll(
                byLength,
                length -> names.stream().filter(name -> name.length() == length).toArray(String[]::new));
    }

    boolean contains(String name) {
        if (name.length() >= byLength.length) {
            return false;
        }
        for (String one : byLength[name.length()]) {
            if (one.equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }
}
