package planted;

import org.jspecify.annotations.Nullable;

final class Planted {
    int length(@Nullable String text) {
        return text.length();
    }
}
