-- page.remove
DELETE
FROM checkout_pages
WHERE organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[]);
