package ai.molecule.common.workspaces;

import ai.molecule.common.ApiError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.regex.Pattern;

/** What a tenant may be called, and what stands for it in the org chart. */
public final class TenantName {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private TenantName() {}

    /** The same. Throws INVALID for what is no name of one. */
    public static String checked(String text) {
        if (!NAME.matcher(text).matches()) {
            throw ApiError.invalid("tenant must be 1 to 100 letters, digits, dots, dashes and underscores");
        }
        return text;
    }

    /** What stands where a parent would, of its roots; the database has it alike (db/registry/V090__tenants.sql). */
    public static UUID scopeOf(String tenant) {
        try {
            var hash = ByteBuffer.wrap(
                    MessageDigest.getInstance("MD5").digest(("tenant:" + tenant).getBytes(StandardCharsets.UTF_8)));
            return new UUID(hash.getLong(), hash.getLong());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
