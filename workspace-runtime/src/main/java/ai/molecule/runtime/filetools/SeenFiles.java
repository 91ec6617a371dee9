package ai.molecule.runtime.filetools;

import ai.molecule.runtime.tools.ToolRefusal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What files held when this agent read or wrote them last, so that it replaces nothing that it has not seen. To be used by one thread at a time. */
final class SeenFiles {

    /** The one seen longest ago makes room, and has to be read again where others changed it. */
    static final int FILES_MAX = 10_000;

    private final Map<String, byte[]> sums = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
            return size() > FILES_MAX;
        }
    };

    void saw(String path, byte[] bytes) {
        sums.put(path, sum(bytes));
    }

    /** A piece was replaced; what others changed elsewhere in the file has not been seen by that. */
    void replaced(String path, byte[] before, byte[] after) {
        @Nullable byte[] seen = sums.get(path);
        if (seen != null && Arrays.equals(seen, sum(before))) {
            saw(path, after);
        }
    }

    /**
     * @param byAnother whether somebody else may have written it
     * @param now what it holds; asked for only where it matters
     * @throws ToolRefusal when it holds what this agent has not seen
     */
    void requireKnown(String path, boolean byAnother, Supplier<byte[]> now) {
        @Nullable byte[] seen = sums.get(path);
        if (seen == null && byAnother) {
            throw new ToolRefusal("other agents work in this folder, and " + path
                    + " was not read yet; read it before it is replaced");
        }
        if (seen != null && !Arrays.equals(seen, sum(now.get()))) {
            throw new ToolRefusal(
                    path
                            + " was changed by somebody else since it was read; read it again before it is replaced. Nothing was written");
        }
    }

    private static byte[] sum(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
