package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Usage;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Sums up what a walk meets. Nothing is opened, no link is followed, and what cannot be looked at does not count. */
final class Counting extends SimpleFileVisitor<Path> {

    private long bytes;
    private long files;

    Usage usage() {
        return new Usage(bytes, files);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        return count(0);
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        return count(attributes.isRegularFile() ? attributes.size() : 0);
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException gone) {
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException cutOff) {
        return FileVisitResult.CONTINUE;
    }

    private FileVisitResult count(long size) {
        bytes += size;
        return ++files < WorkspaceFiles.USAGE_FILES_MAX ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }
}
