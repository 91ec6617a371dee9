-- Run once, by the image of PostgreSQL, when it makes its folder. The platform is no superuser: a mistake in its SQL reads no file and runs
-- no program. The server's own role, which makes it, keeps no password and so comes in only from within the container.
\getenv password POSTGRES_PASSWORD
CREATE ROLE molecule LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE molecule OWNER molecule;
ALTER ROLE postgres PASSWORD NULL;
