-- page.find
SELECT coalesce((
  SELECT payment_url
  FROM checkout_pages
  WHERE organization_id = $1 AND mode = $2 AND session_id = $3
), (
  SELECT url
  FROM payment_urls
  WHERE organization_id = $1 AND mode = $2
)) AS "paymentUrl", coalesce((
  SELECT started_at IS NOT NULL
  FROM checkout_pages
  WHERE organization_id = $1 AND mode = $2 AND session_id = $3
), false) AS "isStarted";

-- page.find_organization_payment_url
SELECT url
FROM payment_urls
WHERE organization_id = $1 AND mode = $2;
