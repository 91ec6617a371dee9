package ai.molecule.cli.backup;

import ai.molecule.cli.LaunchFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * The first entry of a backup: what follows it.
 *
 * @param molecule version of the command that wrote it
 * @param created ISO 8601, the moment of which the tables are
 * @param schemas by name: the newest migration that had run
 * @param tables in the order of the entries
 * @param partitions of the tables that have some
 * @param withKey whether {@code secrets/encryption-key} is among the entries
 * @param keyCheck tells a wrong key from the right one, and nothing else of it; see {@link EncryptionKey}
 */
record Manifest(
        String molecule,
        String created,
        SequencedMap<String, String> schemas,
        List<Table> tables,
        List<Partition> partitions,
        boolean withKey,
        String keyCheck) {

    /** Raised when an older command could not read what a newer one writes. */
    private static final int FORMAT = 1;

    /** @param columns those that are stored and not computed */
    record Table(String schema, String name, List<String> columns) {

        /** For statements. */
        String quoted() {
            return quote(schema) + "." + quote(name);
        }

        String columnList() {
            return String.join(", ", columns.stream().map(Manifest::quote).toList());
        }
    }

    /** @param bound as PostgreSQL prints it: {@code FOR VALUES IN ('2026-01-31')} */
    record Partition(String schema, String name, String parent, String bound) {}

    static String quote(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    JsonObject toJson() {
        var tablesJson = new JsonArray();
        tables.forEach(table -> tablesJson.add(new JsonObject()
                .put("schema", table.schema())
                .put("name", table.name())
                .put("columns", new JsonArray(table.columns()))));
        var partitionsJson = new JsonArray();
        partitions.forEach(partition -> partitionsJson.add(new JsonObject()
                .put("schema", partition.schema())
                .put("name", partition.name())
                .put("parent", partition.parent())
                .put("bound", partition.bound())));
        var schemasJson = new JsonObject();
        schemas.forEach(schemasJson::put);
        return new JsonObject()
                .put("format", FORMAT)
                .put("molecule", molecule)
                .put("created", created)
                .put("schemas", schemasJson)
                .put("tables", tablesJson)
                .put("partitions", partitionsJson)
                .put("with_key", withKey)
                .put("key_check", keyCheck);
    }

    /** @throws LaunchFailure when it is none, or of a newer format */
    static Manifest read(String text) {
        try {
            var json = new JsonObject(text);
            if (json.getInteger("format", 0) > FORMAT) {
                throw LaunchFailure.usersTurn(
                        "This backup was written by Molecule %s, which is newer than this one; restore it with that."
                                .formatted(json.getString("molecule")));
            }
            var schemas = new TreeMap<String, String>();
            json.getJsonObject("schemas").forEach(entry -> schemas.put(entry.getKey(), (String) entry.getValue()));
            return new Manifest(
                    json.getString("molecule"),
                    json.getString("created"),
                    schemas,
                    json.getJsonArray("tables").stream()
                            .map(JsonObject.class::cast)
                            .map(each -> new Table(
                                    each.getString("schema"),
                                    each.getString("name"),
                                    each.getJsonArray("columns").stream()
                                            .map(String.class::cast)
                                            .toList()))
                            .toList(),
                    json.getJsonArray("partitions").stream()
                            .map(JsonObject.class::cast)
                            .map(each -> new Partition(
                                    each.getString("schema"),
                                    each.getString("name"),
                                    each.getString("parent"),
                                    each.getString("bound")))
                            .toList(),
                    json.getBoolean("with_key"),
                    json.getString("key_check"));
        } catch (DecodeException | ClassCastException | NullPointerException e) {
            throw LaunchFailure.usersTurn("This is no backup of Molecule: its manifest cannot be read.");
        }
    }
}
