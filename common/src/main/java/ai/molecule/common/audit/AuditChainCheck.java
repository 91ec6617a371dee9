package ai.molecule.common.audit;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows an exported record link by link (docs/wire/audit.md), with nothing but its text: no platform, no database. Reads a line at a
 * time, so that a record of any length will do.
 */
public final class AuditChainCheck {

    /**
     * @param isWhole whether every row is there, in its place and as it was recorded
     * @param says one sentence about it, or about the first row that is not
     * @param rows how many were found to be right
     * @param waiting how many the platform had yet to link when it was exported: what is said here says nothing of these
     */
    public record Outcome(boolean isWhole, String says, long rows, long waiting, Signed signed) {}

    /**
     * What is signed of it.
     *
     * @param heads how many ends of it are said to be signed, and found where they stand
     * @param last the last row up to which a signature holds; 0 for none, or where signatures were not looked at
     */
    public record Signed(long heads, long last) {}

    /** What a signature is under. */
    @FunctionalInterface
    public interface Signatures {

        /** Which end that is; null when the signature is not the platform's. */
        @Nullable
        KnownHead under(String jws);
    }

    /** An end of the chain that somebody wrote down at the time: nothing up to it can have been written anew since. */
    public record KnownHead(long seq, String hash) {}

    /** One an hour, for ten years. */
    private static final int HEADS_MAX = 100_000;

    private long seq;
    private String hash = "";
    private long rows;
    private final @Nullable KnownHead known;
    private boolean knownSeen;
    private final @Nullable Signatures signatures;

    /** By position, as many as the platform tells. */
    private final Map<Long, String> heads = new HashMap<>();

    private long headsMet;
    private long lastSigned;

    private AuditChainCheck(@Nullable KnownHead known, @Nullable Signatures signatures) {
        this.known = known;
        this.signatures = signatures;
    }

    /** SHA-256, in hexadecimal, of the hash before, the position and the entry's text, with a space between each. */
    public static String link(String before, long seq, String entry) {
        try {
            var text = (before + " " + seq + " " + entry).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }

    /**
     * @param known to be met on the way; null for none
     * @param signatures opens those of signed ends, of which there must be one then; null when they are not looked at
     */
    public static Outcome of(BufferedReader lines, @Nullable KnownHead known, @Nullable Signatures signatures)
            throws IOException {
        return new AuditChainCheck(known, signatures).follow(lines);
    }

    private Outcome follow(BufferedReader lines) throws IOException {
        var chain = parsed(lines.readLine()).path("chain");
        if (!chain.isObject()) {
            return new Outcome(
                    false,
                    "This is no record: its first line does not say where the chain begins.",
                    0,
                    0,
                    new Signed(0, 0));
        }
        seq = chain.path("base_seq").asLong();
        hash = chain.path("base_hash").asText();
        long waiting = chain.path("waiting").asLong();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            var read = parsed(line);
            if (read.has("head")) {
                if (heads.size() < HEADS_MAX) {
                    heads.put(
                            read.at("/head/seq").asLong(), read.at("/head/jws").asText());
                }
                continue;
            }
            String wrong = next(read);
            if (wrong != null) {
                return new Outcome(false, wrong, rows, waiting, signed());
            }
        }
        long last = chain.path("seq").asLong();
        if (seq != last) {
            return new Outcome(
                    false,
                    "Row %d is missing: the chain goes on to %d.".formatted(seq + 1, last),
                    rows,
                    waiting,
                    signed());
        }
        if (!hash.equals(chain.path("hash").asText())) {
            return new Outcome(
                    false,
                    "Row %d is not the end of the chain that the platform has.".formatted(seq),
                    rows,
                    waiting,
                    signed());
        }
        if (known != null && !knownSeen) {
            return new Outcome(
                    false,
                    "Row %d, which was the end once, is not in this record.".formatted(known.seq),
                    rows,
                    waiting,
                    signed());
        }
        if (signatures != null && seq > 0 && lastSigned == 0) {
            return new Outcome(
                    false,
                    "No end of it is signed: whoever wrote to the database can have linked all of it anew.",
                    rows,
                    waiting,
                    signed());
        }
        return new Outcome(
                true, "Every row up to %d is there and as it was recorded.".formatted(seq), rows, waiting, signed());
    }

    private Signed signed() {
        return new Signed(headsMet, lastSigned);
    }

    /** What is wrong with the signature of the end that this row was; null when nothing is, or none is there. */
    private @Nullable String wrongHead(long at, String linked) {
        String jws = heads.get(at);
        if (jws == null) {
            return null;
        }
        headsMet++;
        if (signatures == null) {
            return null;
        }
        var signed = signatures.under(jws);
        if (signed == null || signed.seq != at) {
            return "The signature of the end at row %d is not the platform's.".formatted(at);
        }
        if (!signed.hash.equals(linked)) {
            return "Row %d has another hash than the platform signed: a row up to it was altered, and all after that linked anew."
                    .formatted(at);
        }
        lastSigned = at;
        return null;
    }

    /** What is wrong with the row that comes next; null when nothing is. */
    private @Nullable String next(JsonNode row) {
        long found = row.path("seq").asLong(-1);
        if (found > seq + 1) {
            return "Row %d is missing: row %d follows row %d.".formatted(seq + 1, found, seq);
        }
        if (found <= seq) {
            return "Row %d is out of its order: it follows row %d.".formatted(found, seq);
        }
        String linked = link(hash, found, row.path("entry").asText());
        if (!linked.equals(row.path("hash").asText())) {
            return "Row %d is not what was recorded after row %d: one of the two was altered, or stands in another's place."
                    .formatted(found, seq);
        }
        if (known != null && known.seq == found) {
            if (!known.hash.equals(linked)) {
                return "Row %d has another hash than it had: a row up to it was altered, and all after that linked anew."
                        .formatted(found);
            }
            knownSeen = true;
        }
        seq = found;
        hash = linked;
        rows++;
        return wrongHead(found, linked);
    }

    private static JsonNode parsed(@Nullable String line) {
        try {
            return Json.stored(line);
        } catch (UncheckedIOException noJson) {
            return Json.object();
        }
    }
}
