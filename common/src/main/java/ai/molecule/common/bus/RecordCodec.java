package ai.molecule.common.bus;

import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/**
 * Carries records: as JSON to another process, as they are within one, because nobody changes a record or what is in it once it
 * was sent. With assertions on, so in every test, what stays within the process is written as JSON too, and must be readable.
 */
final class RecordCodec implements MessageCodec<Record, Object> {

    static final String NAME = "molecule.record";

    /** Registers the codec once for this Vert.x, which several services may share. */
    static void registerOn(Vertx vertx) {
        try {
            vertx.eventBus().registerCodec(new RecordCodec());
        } catch (IllegalStateException already) {
            // another service in this process was first
        }
    }

    @Override
    public void encodeToWire(Buffer buffer, Record record) {
        var json = Json.buffer(record);
        buffer.appendInt(json.length()).appendBuffer(json);
    }

    /** Answers the JSON: only the receiver knows which record it is. */
    @Override
    public Object decodeFromWire(int position, Buffer buffer) {
        int start = position + Integer.BYTES;
        return buffer.getBuffer(start, start + buffer.getInt(position));
    }

    @Override
    public Object transform(Record record) {
        assert Bus.decode(Json.buffer(record), record.getClass()) != null;
        return record;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte systemCodecID() {
        return -1;
    }
}
