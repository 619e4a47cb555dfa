-- Announced is only what the access cache remembers: when a key was last used, and a credential that is
-- sealed anew, are nobody's news, and may be written as often as they like.
DROP TRIGGER api_keys_changed ON api_keys;
CREATE TRIGGER api_keys_changed AFTER UPDATE OF hash, revoked_at, environment_id OR DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION announce_access_change();
DROP TRIGGER credentials_changed ON credentials;
CREATE TRIGGER credentials_changed AFTER UPDATE OF route, environment_id, user_id, app OR DELETE ON credentials
    FOR EACH ROW EXECUTE FUNCTION announce_access_change();

-- A user who is deleted is refused at once, whatever token they hold.
CREATE TRIGGER end_users_changed AFTER UPDATE OF environment_id OR DELETE ON end_users
    FOR EACH ROW EXECUTE FUNCTION announce_access_change();

-- Every process learns of a new signing key before its first token comes by, and of one that is taken away.
CREATE FUNCTION announce_signing_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('trunkline_signing_keys', '');
    RETURN NULL;
END
$$;
CREATE TRIGGER signing_keys_changed AFTER INSERT OR UPDATE OR DELETE ON signing_keys
    FOR EACH STATEMENT EXECUTE FUNCTION announce_signing_keys();
