-- compatible: 58
-- A person keeps 2,000 items beside those that wait. About each 64th item marks its person for the round that deletes the oldest (src/inbox/item.c).

ALTER TABLE inbox_item
  ADD COLUMN trims TINYINT NULL COMMENT '1: the round looks at its person',
  ADD COLUMN waits BOOLEAN AS (done_at IS NULL AND box = 'waiting') PERSISTENT,
  ADD KEY inbox_item_trims (trims, id),
  ADD KEY inbox_item_kept (user_id, waits, place);
